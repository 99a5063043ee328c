import type { MerchantInput } from '../payments/merchants.ts';

const testShop = {
  test: true,
  'company.number': undefined,
  'bank.iban': undefined,
};

/** The merchants of the demo data. */
export const demoMerchants: readonly MerchantInput[] = [
  {
    ...testShop,
    name: 'Nordlys Kaffee',
    currency: 'EUR',
    email: 'shop@nordlys.example',
    website: 'https://nordlys.example',
    descriptor: 'NORDLYS KAFFEE',
    'company.country': 'DE',
    'company.number': 'HRB 204118',
    'bank.iban': 'DE89370400440532013000',
  },
  {
    ...testShop,
    name: 'Havnens Bageri',
    currency: 'DKK',
    email: 'hej@havnens.example',
    website: 'https://havnens.example',
    descriptor: 'HAVNENS BAGERI',
    'company.country': 'DK',
    'company.number': '38211502',
    'bank.iban': 'DK5000400440116243',
  },
  {
    ...testShop,
    name: 'Harbour Cycles',
    currency: 'USD',
    email: 'hello@harbour.example',
    website: 'https://harbour.example',
    descriptor: 'HARBOUR CYCLES',
    'company.country': 'IE',
  },
];

/** The user records of the demo data. The first nine people are also members, three a merchant. */
export const people: readonly { name: string; email: string; address: string }[] = [
  ['Astrid Holm', 'astrid@nordlys.example', 'Oranienstraße 14, 10999 Berlin'],
  ['Jonas Keller', 'jonas@nordlys.example', 'Weserstraße 201, 12047 Berlin'],
  ['Mira Vogel', 'mira@nordlys.example', 'Kastanienallee 82, 10435 Berlin'],
  ['Freja Lund', 'freja@havnens.example', 'Islands Brygge 43, 2300 København'],
  ['Emil Kragh', 'emil@havnens.example', 'Vesterbrogade 112, 1620 København'],
  ['Signe Bech', 'signe@havnens.example', 'Jægergårdsgade 7, 8000 Aarhus'],
  ['Aoife Byrne', 'aoife@harbour.example', '9 Quay Street, Galway'],
  ['Conor Walsh', 'conor@harbour.example', '27 Patrick Street, Cork'],
  ['Niamh Kelly', 'niamh@harbour.example', '3 Merrion Row, Dublin 2'],
  ['Lucie Martin', 'lucie.martin@mail.example', '18 rue Oberkampf, 75011 Paris'],
  ['Hugo Lefèvre', 'hugo.lefevre@mail.example', '4 place Bellecour, 69002 Lyon'],
  ['Carmen Ortiz', 'carmen.ortiz@mail.example', 'Calle de Atocha 51, 28012 Madrid'],
  ['Pablo Ruiz', 'pablo.ruiz@mail.example', 'Carrer de Mallorca 300, 08037 Barcelona'],
  ['Elin Berg', 'elin.berg@mail.example', 'Götgatan 22, 118 46 Stockholm'],
  ['Oskar Nyström', 'oskar.nystrom@mail.example', 'Linnégatan 5, 413 04 Göteborg'],
  ['Kari Dahl', 'kari.dahl@mail.example', 'Markveien 58, 0550 Oslo'],
  ['Mikkel Friis', 'mikkel.friis@mail.example', 'Algade 9, 4000 Roskilde'],
  ['Zofia Nowak', 'zofia.nowak@mail.example', 'ulica Długa 12, 31-147 Kraków'],
  ['Jan Novák', 'jan.novak@mail.example', 'Vinohradská 88, 130 00 Praha 3'],
  ['Ilona Szabó', 'ilona.szabo@mail.example', 'Király utca 40, 1077 Budapest'],
  ['Andrei Popescu', 'andrei.popescu@mail.example', 'Strada Lipscani 31, București'],
  ['Chiara Rossi', 'chiara.rossi@mail.example', 'Via Solferino 15, 20121 Milano'],
  ['Tom Whitaker', 'tom.whitaker@mail.example', '61 Gloucester Road, Bristol'],
  ['Sanne de Vries', 'sanne.devries@mail.example', 'Haarlemmerdijk 120, Amsterdam'],
  ['Yuki Tanaka', 'yuki.tanaka@mail.example', ''],
].map(([name = '', email = '', address = '']) => ({ name, email, address }));
