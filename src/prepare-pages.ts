import { readGraphiqlBundle } from './gateway/graphiql/graphiql-bundle.ts';

/** Part of `npm start` and `npm run build`: compresses GraphiQL, unless that was done before. */
await readGraphiqlBundle();
