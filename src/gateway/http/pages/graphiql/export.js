// Saves the connection that the open tab selects to a file.
{
  const dialog = document.querySelector('#export');
  const form = dialog.querySelector('form');
  const message = form.querySelector('output');
  const submit = form.querySelector('[type=submit]');
  let running;

  const textOf = (name) =>
    monaco.editor
      .getModels()
      .find(({ uri }) => uri.path.endsWith(name))
      ?.getValue() ?? '';

  /** The value of an editor that contains JSON. */
  const readJson = (name, label) => {
    const text = textOf(name);
    if (text.trim() === '') return {};
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`The ${label} of the tab are not valid JSON.`);
    }
  };

  /** GraphiQL shows the name of the query that it would run as the title of the tab. */
  const readName = () => {
    const title = document.querySelector('.graphiql-tab-active .graphiql-tab-button').textContent;
    return title.startsWith('<') ? undefined : title;
  };

  const request = (format, path, signal) =>
    fetch('export', {
      method: 'POST',
      headers: {
        ...readJson('request-headers.json', 'headers'),
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        query: textOf('operation.graphql'),
        variables: readJson('variables.json', 'variables'),
        ...{ operationName: readName(), path: path || undefined, format },
      }),
      signal,
    });

  /** A file of JSON lines says in its last line if the export failed. */
  const readFailure = async (blob, format) => {
    if (format !== 'jsonl') return undefined;
    const end = await blob.slice(-10_000).text();
    return JSON.parse(end.trimEnd().split('\n').at(-1)).error;
  };

  const save = (blob, name) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const run = async ({ format, path }, signal) => {
    const name = `${readName() ?? 'export'}.${format}`;
    const response = await request(format, path, signal);
    if (!response.ok) throw new Error((await response.json()).errors[0].message);
    const blob = await response.blob().catch((error) => {
      if (signal.aborted) throw error;
      throw new Error('The export ended before its last item. Nothing was saved.');
    });
    const failure = await readFailure(blob, format);
    save(blob, name);
    return failure === undefined ? `Saved ${name}.` : `${name} is incomplete: ${failure.message}`;
  };

  form.onsubmit = async (event) => {
    event.preventDefault();
    running = new AbortController();
    const { signal } = running;
    submit.disabled = true;
    message.value = 'Exporting…';
    try {
      message.value = await run(Object.fromEntries(new FormData(form)), signal);
    } catch (error) {
      message.value = error.message;
    } finally {
      submit.disabled = false;
    }
  };

  document.querySelector('#open-export').onclick = () => {
    message.value = '';
    dialog.showModal();
  };
  form.querySelector('[value=close]').onclick = () => dialog.close();
  dialog.onclose = () => running?.abort();
}
