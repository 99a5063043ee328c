import type { DescribedRoute } from '../http/operation.ts';
import { makeScene } from '../scenes/make-scene.ts';
import { sceneInput, sceneOutput } from '../scenes/scene.ts';
import type { Controlled } from './controlled.ts';
import { defineOperation } from './operation.ts';

/** Scenes: a merchant with payments in every state. */
export function sceneOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/scenes',
      summary:
        'Make a merchant with payments in the states that you name. The same input makes the same scene, with new ids.',
      body: sceneInput,
      output: sceneOutput,
      status: 201,
      handle: ({ body }) => makeScene(environment, body),
    }),
  ];
}
