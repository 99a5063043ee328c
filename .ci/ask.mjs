// Waits for the start screen in a file, then queries a merchant with transactions.
// With --gone it waits until the address no longer answers.
import { readFileSync } from 'node:fs';

const [, , file, gone] = process.argv;
const deadline = Date.now() + 30_000;

for (;;) {
  const screen = readFileSync(file, 'utf8');
  const url = /GraphiQL +(\S+)/.exec(screen)?.[1];
  const key = /Demo key +(\S+)/.exec(screen)?.[1];
  if (gone !== undefined) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer === undefined) {
      console.log('stopped cleanly');
      break;
    }
  } else if (url !== undefined && key !== undefined && screen.includes('Data  ')) {
    const query =
      '{ merchants(first: 1) { edges { node { name transactions(first: 2) { edges { node { amount { decimal currency } } } } } } } }';
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = await response.json();
    const merchant = data?.merchants?.edges[0]?.node;
    if (errors !== undefined || merchant?.transactions.edges.length !== 2) {
      throw new Error(
        `This is not the answer of a working system: ${JSON.stringify({ data, errors })}`,
      );
    }
    console.log(`${merchant.name}: ${JSON.stringify(merchant.transactions.edges)}`);
    break;
  }
  if (Date.now() > deadline)
    throw new Error(`Not ${gone ? 'stopped' : 'running'} after 30 seconds:\n${screen}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
}
