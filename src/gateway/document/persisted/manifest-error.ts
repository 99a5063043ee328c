/** Complaints about one manifest that are shown. */
const MAX_SHOWN = 10;

/** Thrown if documents cannot be used. Has one complaint, one or more sentences, for each. */
export class ManifestError extends Error {
  constructor(path: string, complaints: readonly string[]) {
    const more = complaints.length - MAX_SHOWN;
    super(
      [
        `The documents of PERSISTED_DOCUMENTS_PATH ${JSON.stringify(path)} cannot be used.`,
        ...complaints.slice(0, MAX_SHOWN),
        ...(more > 0 ? [`There are ${more} more problems.`] : []),
      ].join('\n'),
    );
    this.name = 'ManifestError';
  }
}
