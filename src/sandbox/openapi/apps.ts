import type { Chapter } from './document.ts';
import { empty, inPath, json, operation, paging } from './operation.ts';
import { date, id, input, listOf, optionalName, record, ref, text, uuid } from './schema.ts';

const key = { type: 'string', minLength: 1, maxLength: 200 };
const merchant = inPath('id', 'Id of the merchant');

/** Apps, and which of them a merchant has. */
export const apps: Chapter = {
  schemas: {
    CreatedApp: record({ id, name: optionalName, key: uuid }),
    Identity: record({ id, name: optionalName, created: date }),
    App: record({ id, name: optionalName, key, created: date }),
  },
  paths: {
    '/apps': {
      post: operation({
        summary: 'Create an app; needs no key',
        body: input({}, { name: optionalName }),
        answers: { 201: json('The app, with its key', record({ app: ref('CreatedApp') })) },
        refusals: [],
      }),
    },
    '/me': {
      get: operation({
        summary: 'The app that asks',
        answers: { 200: json('The app', record({ identity: ref('Identity') })) },
        refusals: [401],
      }),
    },
    '/merchants/{id}/apps': {
      get: operation({
        summary: 'The apps of a merchant, newest first',
        parameters: [merchant, ...paging],
        answers: { 200: json('The apps', listOf('App')) },
        refusals: [400, 401, 403, 404],
      }),
      post: operation({
        summary: 'Give an app access to a merchant',
        parameters: [merchant],
        body: input({ appId: text(1, 1000) }),
        answers: { 201: empty('It has access') },
        refusals: [401, 403, 404],
      }),
    },
    '/merchants/{id}/apps/{appId}': {
      delete: operation({
        summary: "Revoke an app's access to a merchant",
        parameters: [merchant, inPath('appId', 'Id of the app')],
        answers: { 204: empty('It has no access any more') },
        refusals: [401, 403, 404],
      }),
    },
  },
};
