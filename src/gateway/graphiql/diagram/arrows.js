// The gateway puts `options` before this script: the schema, and how to show it.
GraphQLVoyager.renderVoyager(document.querySelector('main'), options);
