import type { Plugin } from 'graphql-yoga';

/**
 * Accepts only JSON. A browser sends forms and plain text to other sites without asking
 * them, and adds stored Basic credentials. For JSON it must first ask the gateway, which
 * does not allow it.
 */
export function onlyJson(): Plugin {
  return {
    onRequest: ({ request, endResponse, fetchAPI }) => {
      if (request.method !== 'POST') return;
      const [type = '', ...parameters] = (request.headers.get('content-type') ?? '')
        .toLowerCase()
        .split(';')
        .map((part) => part.trim());
      const charset = parameters.find((parameter) => parameter.startsWith('charset='));
      const utf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
      if (type === 'application/json' && utf8) return;
      const message = 'The request must be a JSON object with content-type application/json.';
      const errors = [{ message, extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }];
      endResponse(
        new fetchAPI.Response(JSON.stringify({ errors }), {
          status: 415,
          headers: { 'content-type': 'application/json; charset=utf-8' },
        }),
      );
    },
  };
}
