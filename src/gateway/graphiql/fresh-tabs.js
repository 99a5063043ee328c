// Every visit starts with the examples. GraphiQL does not store headers, because they
// contain a key, so it would not recognise its stored tabs and would show an empty one.
// GraphiQL also writes the query into the address; after a reload it would come back
// without its variables, in the wrong tab.
for (const name of ['tabState', 'query', 'variables', 'headers']) {
  localStorage.removeItem(`graphiql:${name}`);
}
history.replaceState(null, '', location.pathname);
