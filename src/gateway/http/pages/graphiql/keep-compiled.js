// A browser compiles 5 MB of GraphiQL at every visit until it keeps the compiled code, and
// Chromium keeps it when a script is loaded for the second time. So the script is loaded a second
// time, from the cache, when the first visit has time. It does not run again.
{
  const { bundle } = JSON.parse(document.querySelector('#options').textContent);
  const load = () => {
    const script = document.createElement('script');
    script.src = bundle;
    document.body.append(script);
  };
  addEventListener('load', () => {
    // Safari has no `requestIdleCallback`.
    if (self.requestIdleCallback) requestIdleCallback(load);
    else setTimeout(load);
  });
}
