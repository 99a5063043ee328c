// While React loads, it creates an error only to compare others with it. If developer tools are
// open, Chromium then searches for the line that creates it, and for that it reads the complete
// bundle again, twice, which takes half a second. So until the bundle is loaded, `Error()`
// without `new` creates an error that has no stack.
{
  const Original = Error;
  self.Error = new Proxy(Original, {
    apply: (_target, _self, [message]) =>
      Object.create(Original.prototype, { message: { value: message } }),
  });
  document.addEventListener('DOMContentLoaded', () => {
    self.Error = Original;
  });
}
