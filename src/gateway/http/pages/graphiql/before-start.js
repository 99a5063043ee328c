// GraphiQL reads the name of an operation 100 ms after its text was put into the editor.
// Before that, it would send the name of the previous tab's operation, so a click on the
// run button that comes too early is repeated later.
{
  const READ_MS = 150;
  let reading;
  let early;

  const waitForRead = () => {
    clearTimeout(reading);
    early = undefined;
    // The first timer lets GraphiQL handle the click before the time starts.
    reading = setTimeout(() => {
      reading = setTimeout(runEarlyClick, READ_MS);
    });
  };

  const runEarlyClick = () => {
    reading = undefined;
    early?.click();
  };

  addEventListener(
    'click',
    (event) => {
      if (event.target.closest('.graphiql-tabs')) waitForRead();
      const run = event.target.closest('.graphiql-execute-button');
      if (run === null || reading === undefined) return;
      event.stopImmediatePropagation();
      early = run;
    },
    true,
  );
}

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
