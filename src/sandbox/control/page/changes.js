/** Calls a function whenever records may have changed, and once now. */
export function onRecordsChanged(handle) {
  document.addEventListener('recordschanged', handle);
  handle();
}

/** Tells everything that shows records to read them again. */
export function recordsChanged() {
  document.dispatchEvent(new Event('recordschanged'));
}
