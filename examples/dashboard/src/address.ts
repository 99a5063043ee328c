/** What the page shows. Links and forms load it again, so a bookmark shows the same. */
export const params = new URLSearchParams(location.search);

export const href = (values: Record<string, string>) => `?${new URLSearchParams(values)}`;
