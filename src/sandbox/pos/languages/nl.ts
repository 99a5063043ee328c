import type { Texts } from '../texts.ts';

/** Dutch. */
export const nl: Texts = {
  title: 'Betaling',
  payTo: 'Betaling aan {merchant}',
  amount: 'Bedrag',
  amountHint: 'Bijvoorbeeld {example}',
  next: 'Doorgaan',
  number: 'Kaartnummer',
  expiry: 'Vervaldatum',
  expiryHint: 'Maand en jaar, bijvoorbeeld 08/30 of 0830',
  code: 'Beveiligingscode',
  codeHint: 'Drie cijfers op de achterkant van de kaart',
  pay: 'Betalen',
  testMode: 'Testmodus: alleen testkaarten worden geaccepteerd en er wordt geen geld verplaatst.',
  testCards: 'Testkaarten',
  testCardsHint:
    'Met een willekeurige vervaldatum in de toekomst en drie willekeurige cijfers als beveiligingscode.',
  consent: 'U gaat ermee akkoord dat latere betalingen met deze kaart worden gedaan.',
  problem: 'Controleer wat u hebt ingevuld.',
  declined: 'De betaling is geweigerd.',
  cardRejected:
    'Hier worden alleen gepubliceerde testkaarten geaccepteerd. Het nummer is niet opgeslagen.',
  done: 'Bedankt',
  doneText: 'U hebt {amount} betaald aan {merchant}.',
  invalidLink: 'Deze betaallink is niet geldig',
  askShop: 'Vraag de winkel om een nieuwe link.',
  live: 'Deze dienst accepteert geen echte kaarten. U kunt deze winkel hier niet betalen.',
  cards: {
    success: 'De betaling lukt.',
    declined: 'De betaling wordt geweigerd: onvoldoende saldo.',
    declinedLater: 'De betaling lukt. Latere betalingen met deze kaart worden geweigerd.',
    disputed: 'De betaling lukt. Na de afschrijving betwist de kaarthouder deze.',
    fraud: 'De betaling lukt. Na de afschrijving wordt deze als fraude gemeld.',
  },
  errors: {
    4: 'De beveiligingscode moet uit drie cijfers bestaan.',
    5: 'De vervaldatum moet een maand en een jaar zijn, bijvoorbeeld 08/30.',
    14: 'Het bedrag is niet geldig.',
    15: 'Vul het bedrag in.',
    17: 'Vul het kaartnummer in.',
    18: 'Vul de vervaldatum in.',
    20: 'Vul de beveiligingscode in.',
  },
};
