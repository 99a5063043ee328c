import { href, params } from './address.ts';
import { BalancePage } from './balance-page.tsx';
import { SIGN_OUT } from './gateway.ts';
import { graphql } from './gql/index.ts';
import { OpenOperations } from './open-operations.tsx';
import { PaymentPage } from './payment-page.tsx';
import { PaymentsPage } from './payments-page.tsx';
import { Progress } from './progress.tsx';
import { SearchBox, SearchPage } from './search-page.tsx';
import { useQuery } from './use-query.ts';

const Merchants = graphql(`
  query Merchants($after: String) {
    merchants(first: 100, after: $after) {
      edges { node { id name replica { state progress } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export function App({ name, scope }: { name: string; scope: string }) {
  const loaded = useQuery(Merchants, {}, ({ merchants }) => merchants);
  const nodes = loaded.parts.flatMap(({ edges }) => edges.map(({ node }) => node));
  const merchantId = params.get('merchant') ?? nodes[0]?.id ?? '';
  const id = params.get('id');
  const find = params.get('find');
  const replica = nodes.find((merchant) => merchant.id === merchantId)?.replica;
  const isBalance = params.get('page') === 'balance';
  return (
    <>
      <header>
        <select
          aria-label="Merchant"
          value={merchantId}
          onChange={({ target }) => location.assign(href({ merchant: target.value }))}
        >
          {nodes.map((merchant) => (
            <option key={merchant.id} value={merchant.id}>
              {merchant.name ?? merchant.id}
            </option>
          ))}
        </select>
        <nav>
          <a href={href({ merchant: merchantId })} aria-current={!isBalance && 'page'}>
            Payments
          </a>
          <a
            href={href({ merchant: merchantId, page: 'balance' })}
            aria-current={isBalance && 'page'}
          >
            Balance
          </a>
        </nav>
        <SearchBox merchantId={merchantId} />
        <form method="post" action={SIGN_OUT}>
          {name} <button type="submit">Sign out</button>
        </form>
      </header>
      <main>
        <OpenOperations />
        <Progress loaded={loaded} />
        {replica?.state === 'COPYING' && (
          <p role="status" className="incomplete">
            Copying, {Math.round((replica.progress ?? 0) * 100)} %. Until then, searches take
            longer.
          </p>
        )}
        {find && <SearchPage text={find} mayReadUsers={scope.includes('users:read')} />}
        {id !== null && <PaymentPage id={id} mayMoveMoney={scope.includes('payments:write')} />}
        {id === null && !find && isBalance && merchantId && <BalancePage merchantId={merchantId} />}
        {id === null && !find && !isBalance && merchantId && (
          <PaymentsPage merchantId={merchantId} />
        )}
      </main>
    </>
  );
}
