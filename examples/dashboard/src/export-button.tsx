import { useState } from 'react';
import { post } from './gateway.ts';
import { graphql } from './gql/index.ts';
import type { PaymentSearch } from './payments-page.tsx';

/** Each field becomes a column. The gateway reads all pages. */
const Export = graphql(`
  query Export($merchantId: ID!, $filter: TransactionFilter) {
    merchant(id: $merchantId) {
      transactions(filter: $filter) {
        edges {
          node {
            id createdAt state statementDescriptor amount { decimal currency }
            capturedAmount { decimal } refundedAmount { decimal } card { schemeName last4 }
          }
        }
      }
    }
  }
`);

/** Saves the payments that meet the filter as a file. */
export function ExportButton(variables: PaymentSearch) {
  const [state, setState] = useState('');

  async function save() {
    setState('Exporting…');
    const request = { query: Export, variables, path: 'merchant.transactions', format: 'csv' };
    try {
      const response = await post('/export', request);
      if (!response.ok) throw new Error((await response.json()).errors[0].message);
      // Fails if the export breaks off, so a file that is saved has all rows.
      const url = URL.createObjectURL(await response.blob());
      Object.assign(document.createElement('a'), { href: url, download: 'payments.csv' }).click();
      URL.revokeObjectURL(url);
      setState('');
    } catch (error) {
      setState(`No file was saved. ${error}`);
    }
  }

  return (
    <p className="buttons">
      <button type="button" onClick={save} disabled={state === 'Exporting…'}>
        Export as CSV
      </button>
      <span role="status">{state}</span>
    </p>
  );
}
