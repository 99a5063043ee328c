// Where the editor loads its workers from.
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) =>
    JSON.parse(document.querySelector('#options').textContent).workers[label],
};
