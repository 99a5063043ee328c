import { Environment, type FetchFunction, Network, RecordSource, Store } from 'relay-runtime';

/** A Relay environment for a gateway, with the key of an app. */
export function createEnvironment(url: string, key: string): Environment {
  const send: FetchFunction = async ({ text }, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: text, variables }),
    });
    return response.json();
  };
  return new Environment({ network: Network.create(send), store: new Store(new RecordSource()) });
}
