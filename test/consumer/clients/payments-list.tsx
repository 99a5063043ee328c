import { useQuery } from '@apollo/client/react';
import { Payments } from './operations';

export function PaymentsList({ merchantId }: { merchantId: string }) {
  const { data, error } = useQuery(Payments, { variables: { merchantId } });
  if (error) return <p role="alert">{error.message}</p>;
  const payments = data?.merchant?.transactions?.edges ?? [];
  return (
    <ul>
      {payments.map(({ node }) => (
        <li key={node.id}>{node.pendingAmount?.decimal}</li>
      ))}
    </ul>
  );
}
