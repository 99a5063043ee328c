/**
 * Repeats work while the page is visible, at once when it becomes visible again. A failure is
 * shown where it happens, and the next repetition follows.
 */
export function repeat(work, everyMs) {
  let running = false;
  let timer;
  const run = async () => {
    clearTimeout(timer);
    if (running || document.hidden) return;
    running = true;
    await work().catch(() => {});
    running = false;
    timer = setTimeout(run, everyMs);
  };
  document.addEventListener('visibilitychange', run);
  void run();
}
