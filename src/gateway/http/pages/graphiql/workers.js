// Where the editor loads its workers from. They start after the editor is shown: on a machine
// with few cores, their 3 MB would be compiled in the time that the editor needs to appear.
// `globalAPI` lets `export.js` read the editors.
{
  const { workers } = JSON.parse(document.querySelector('#options').textContent);
  const shown = new Promise((resolve) => {
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('.graphiql-query-editor .view-line') === null) return;
      observer.disconnect();
      // After the frame that shows it.
      requestAnimationFrame(() => setTimeout(resolve));
    }).observe(document.querySelector('#root'), { subtree: true, childList: true });
  });

  self.MonacoEnvironment = {
    globalAPI: true,
    getWorker: async (_module, label) => {
      await shown;
      return new Worker(workers[label], { name: label, type: 'module' });
    },
  };
}
