/** Saved cards, and the invitations that were not sent by mail. */
export const cardsAndOutbox: readonly string[] = [
  `CREATE TABLE saved_card (
    id text COLLATE "C" PRIMARY KEY,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    created timestamptz NOT NULL,
    card_bin text NOT NULL,
    card_last4 text NOT NULL,
    card_expiry timestamptz NOT NULL,
    card_scheme text NOT NULL,
    card_behaviour text NOT NULL,
    notes text)`,

  `CREATE TABLE outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created timestamptz NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL)`,
];
