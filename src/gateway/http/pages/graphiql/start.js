// Starts GraphiQL with the options that the page contains.
YogaGraphiQL.renderYogaGraphiQL(
  document.querySelector('#root'),
  keepTabs(JSON.parse(document.querySelector('#options').textContent).graphiql),
);
