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
