import type { Texts } from '../texts.ts';

/** French. */
export const fr: Texts = {
  title: 'Paiement',
  payTo: 'Paiement à {merchant}',
  amount: 'Montant',
  amountHint: 'Par exemple {example}',
  next: 'Continuer',
  number: 'Numéro de carte',
  expiry: 'Date d’expiration',
  expiryHint: 'Mois et année, par exemple 08/30 ou 0830',
  code: 'Code de sécurité',
  codeHint: 'Trois chiffres au dos de la carte',
  pay: 'Payer',
  testMode: 'Mode test : seules les cartes de test sont acceptées, aucun argent ne circule.',
  testCards: 'Cartes de test',
  testCardsHint:
    'Avec n’importe quelle date d’expiration à venir et trois chiffres quelconques comme code de sécurité.',
  consent: 'Vous acceptez que de prochains paiements soient faits avec cette carte.',
  problem: 'Veuillez vérifier votre saisie.',
  declined: 'Le paiement a été refusé.',
  cardRejected:
    'Seules les cartes de test publiées sont acceptées ici. Ce numéro n’a pas été conservé.',
  done: 'Merci',
  doneText: 'Vous avez payé {amount} à {merchant}.',
  invalidLink: 'Ce lien de paiement n’est pas valable',
  askShop: 'Veuillez demander un nouveau lien à la boutique.',
  live: 'Ce service n’accepte pas de vraies cartes. Impossible de payer cette boutique ici.',
  cards: {
    success: 'Le paiement réussit.',
    declined: 'Le paiement est refusé : provision insuffisante.',
    declinedLater: 'Le paiement réussit. Les paiements suivants avec cette carte sont refusés.',
    disputed:
      'Le paiement réussit. Une fois encaissé, il est contesté par le titulaire de la carte.',
    fraud: 'Le paiement réussit. Une fois encaissé, il est signalé comme fraude.',
  },
  errors: {
    4: 'Le code de sécurité doit comporter trois chiffres.',
    5: 'La date d’expiration doit être un mois et une année, par exemple 08/30.',
    14: 'Le montant n’est pas valable.',
    15: 'Veuillez saisir le montant.',
    17: 'Veuillez saisir le numéro de carte.',
    18: 'Veuillez saisir la date d’expiration.',
    20: 'Veuillez saisir le code de sécurité.',
  },
};
