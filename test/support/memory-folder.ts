import { statfsSync } from 'node:fs';

/** Where Linux keeps files in memory. */
const FOLDER = '/dev/shm';
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * Lets tests and the programs that they start write their files to memory if there is room: they
 * copy thousands. Containers often have 64 MB there, and other systems have no such folder.
 */
export function useMemoryFolder(): void {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    if (bavail * bsize >= NEEDED_BYTES) process.env.TMPDIR = FOLDER;
  } catch {
    // There is no such folder.
  }
}
