import type { DocumentPart } from './document.ts';
import { empty, inPath, json, listParameters, operation } from './operation.ts';
import { date, id, input, listOf, optionalName, record, ref, text, uuid } from './schema.ts';

const key = { type: 'string', minLength: 1, maxLength: 200 };
const merchant = inPath('id', 'Id of the merchant.');

/** Apps, and the apps of a merchant. */
export const apps: DocumentPart = {
  schemas: {
    CreatedApp: record({ id, name: optionalName, key: uuid }),
    Identity: record({ id, name: optionalName, created: date }),
    App: record({ id, name: optionalName, created: date }, { key }),
  },
  paths: {
    '/apps': {
      post: operation({
        summary: 'Create an app. Requires no key.',
        body: input({}, { name: optionalName }),
        responses: { 201: json('The app with its key.', record({ app: ref('CreatedApp') })) },
        errors: [],
      }),
    },
    '/me': {
      get: operation({
        summary: 'Get the app of the key.',
        responses: { 200: json('The app.', record({ identity: ref('Identity') })) },
        errors: [401],
      }),
    },
    '/merchants/{id}/apps': {
      get: operation({
        summary: 'List the apps of a merchant, newest first.',
        parameters: [merchant, ...listParameters],
        responses: { 200: json('The apps.', listOf('App')) },
        errors: [400, 401, 403, 404],
      }),
      post: operation({
        summary: 'Give an app access to a merchant.',
        parameters: [merchant],
        body: input({ appId: text(1, 1000) }),
        responses: { 201: empty('The app has access.') },
        errors: [401, 403, 404],
      }),
    },
    '/merchants/{id}/apps/{appId}': {
      delete: operation({
        summary: "Revoke an app's access to a merchant.",
        parameters: [merchant, inPath('appId', 'Id of the app.')],
        responses: { 204: empty('The app no longer has access.') },
        errors: [401, 403, 404],
      }),
    },
  },
};
