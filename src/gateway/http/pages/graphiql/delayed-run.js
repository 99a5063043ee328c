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
