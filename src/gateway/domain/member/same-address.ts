import { builder } from '../../schema/builder.ts';
import { readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { hasEmail, UserRef } from '../user/user.ts';
import { MerchantMemberRef } from './member.ts';

// The two services share no data, so only an e-mail address can connect a user record to a merchant.

builder.objectField(UserRef, 'memberships', (t) =>
  t.field({
    type: [MerchantMemberRef],
    nullable: { list: true, items: false },
    description:
      'Members of the merchants that you have access to with the same e-mail address, ignoring case and surrounding spaces. A matching address does not prove that they are the same person. Takes a call to the payments service for each merchant. Null if members could not be read; `errors` contains the reason.',
    resolve: async (user, _args, { users, merchants, members, viewer }) => {
      const email = await users.read(user, (record) => readStringOrNull(record, 'email'));
      if (email === null || email.trim() === '') return [];
      const all = await merchants.listAll((await viewer.load()).id);
      const found = await Promise.all(all.map(({ id }) => members.listAll(id)));
      return found.flat().filter((member) => hasEmail(member, email));
    },
  }),
);

builder.objectField(MerchantRef, 'contactRecords', (t) =>
  t.field({
    type: [UserRef],
    nullable: { list: true, items: false },
    description:
      "User records with the e-mail address of the merchant's contact, ignoring case and surrounding spaces. A matching address does not prove that a record belongs to the contact. Null if user records could not be read; `errors` contains the reason. Requires access to user records.",
    resolve: async (merchant, _args, { users }) => {
      const records = await users.list();
      const email = readStringOrNull(merchant, 'email') ?? '';
      return email.trim() === '' ? [] : records.filter((user) => hasEmail(user, email));
    },
  }),
);
