import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, form } from './shop.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ada = { name: 'Ada', email: 'ada@example.com', address: '12 St James Square' };

let sandbox: Sandbox;
let users: RestCaller;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  users = rest(sandbox.usersUrl);
});
afterAll(() => sandbox.close());

async function newUser(fields = ada): Promise<AnyRecord> {
  return (await users.post('/users', fields)).body;
}

describe('creating a user', () => {
  test('returns the complete record with a new id', async () => {
    const { status, text, body } = await users.post('/users', { ...ada, id: 'mine', role: 'x' });
    expect(status).toBe(201);
    expect(body.id).toMatch(UUID_V4);
    expect(text).toBe(JSON.stringify({ id: body.id, ...ada }));
  });

  test('accepts a form', async () => {
    const { status, body } = await users.send(
      '/users',
      form('name=Ada+L&email=a%40b.example&address='),
    );
    expect(status).toBe(201);
    expect(body).toEqual({ id: body.id, name: 'Ada L', email: 'a@b.example', address: '' });
  });

  test('accepts an e-mail address that another record has', async () => {
    const [one, two] = [await newUser(), await newUser()];
    expect(two.email).toBe(one.email);
    expect(two.id).not.toBe(one.id);
  });

  test('keeps text exactly as it was sent', async () => {
    const text = '  Ünïcødé 😀 "quotes" \'; DROP TABLE user_record; -- \\ %00 \n';
    const { id } = await newUser({ ...ada, name: text, address: text });
    expect((await users.get(`/users/${id}`)).body).toEqual({
      ...ada,
      id,
      name: text,
      address: text,
    });
  });

  test('lists every missing field, in the order of the record', async () => {
    for (const body of [undefined, {}, [], { name: null, email: null, address: null }]) {
      const response = await users.post('/users', body);
      expect(response.status).toBe(400);
      expect(fieldsOf(response.body)).toEqual(['name', 'email', 'address']);
    }
  });

  test.each([
    ['name', 'x'.repeat(200)],
    ['name', '😀'.repeat(200)],
    ['address', ''],
    ['address', 'x'.repeat(500)],
    ['email', 'a@b.c'],
    ['email', `${'a'.repeat(246)}@b.examp`.padEnd(254, 'l')],
  ])('accepts %s at its bound (%#)', async (field, value) => {
    const { status, body } = await users.post('/users', { ...ada, [field]: value });
    expect(status).toBe(201);
    expect(body[field]).toBe(value);
  });

  test.each([
    ['name', ''],
    ['name', 'x'.repeat(201)],
    ['name', '😀'.repeat(201)],
    ['name', 'a\0b'],
    ['name', 'a\ud800'],
    ['name', 1],
    ['name', ['Ada']],
    ['name', { first: 'Ada' }],
    ['address', 'x'.repeat(501)],
    ['address', false],
    ['email', ''],
    ['email', 'a.example.com'],
    ['email', '@example.com'],
    ['email', 'a@example'],
    ['email', 'a@b@example.com'],
    ['email', 'a b@example.com'],
    ['email', 'a@exam\u00a0ple.com'],
    ['email', `${'a'.repeat(248)}@b.exam`],
  ])('rejects an invalid %s: %j', async (field, value) => {
    const { status, body } = await users.post('/users', { ...ada, [field]: value });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([field]);
  });

  test('rejects a nested value in a form', async () => {
    const { status, body } = await users.send(
      '/users',
      form('name[first]=Ada&email=a@b.example&address='),
    );
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['name']);
  });
});

describe('reading users', () => {
  test('returns one record without an envelope', async () => {
    const user = await newUser();
    const { status, text } = await users.get(`/users/${user.id}`);
    expect(status).toBe(200);
    expect(text).toBe(JSON.stringify(user));
  });

  test('returns every record in the order of creation, and ignores the query', async () => {
    const made = [await newUser(), await newUser({ ...ada, name: 'Bo' }), await newUser()];
    const { status, text, body } = await users.get('/users?limit=1&before=x&sort=name');
    expect(status).toBe(200);
    expect(body.slice(-3)).toEqual(made);
    expect(text).toBe(JSON.stringify(body));
  });

  test('returns a changed record at its old place', async () => {
    const [first, second] = [await newUser(), await newUser()];
    await users.patch(`/users/${first.id}`, { name: 'Changed' });
    const { body } = await users.get('/users');
    expect(body.slice(-2)).toEqual([{ ...first, name: 'Changed' }, second]);
  });

  test('returns [] if there are no records', async () => {
    const { body } = await users.get('/users');
    await Promise.all(body.map(({ id }: AnyRecord) => users.delete(`/users/${id}`)));
    expect((await users.get('/users')).text).toBe('[]');
  });

  test('ignores the Authorization header', async () => {
    const user = await newUser();
    const authorization = 'Basic bm90OmFwcA==';
    const { status } = await users.send(`/users/${user.id}`, { headers: { authorization } });
    expect(status).toBe(200);
  });
});

describe('changing a user', () => {
  test('with PUT replaces the complete record', async () => {
    const { id } = await newUser();
    const fields = { name: 'Bo', email: 'bo@example.com', address: '' };
    const { status, text } = await users.put(`/users/${id}`, { id: 'other', ...fields });
    expect(status).toBe(200);
    expect(text).toBe(JSON.stringify({ id, ...fields }));
    expect((await users.get(`/users/${id}`)).text).toBe(text);
  });

  test('with PUT requires all three fields', async () => {
    const user = await newUser();
    const { status, body } = await users.put(`/users/${user.id}`, { name: 'Bo' });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['email', 'address']);
    expect((await users.get(`/users/${user.id}`)).body).toEqual(user);
  });

  test.each([
    [{ name: 'Bo' }],
    [{ email: 'bo@example.com' }],
    [{ address: '' }],
    [{ name: 'Bo', address: 'There' }],
  ])('with PATCH changes %j and nothing else', async (changes) => {
    const user = await newUser();
    const { status, text } = await users.patch(`/users/${user.id}`, changes);
    expect(status).toBe(200);
    expect(text).toBe(JSON.stringify({ ...user, ...changes }));
    expect((await users.get(`/users/${user.id}`)).text).toBe(text);
  });

  test('with PATCH accepts a form, and null for an unchanged field', async () => {
    const user = await newUser();
    await users.send(`/users/${user.id}`, form('name=Bo', 'PATCH'));
    const { body } = await users.patch(`/users/${user.id}`, { name: null, address: 'There' });
    expect(body).toEqual({ ...user, name: 'Bo', address: 'There' });
  });

  test('with PATCH requires at least one of the three fields', async () => {
    const user = await newUser();
    for (const changes of [undefined, {}, { name: null }, { id: 'other', role: 'x' }]) {
      const { status, body } = await users.patch(`/users/${user.id}`, changes);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['body']);
    }
  });

  test('with PATCH changes nothing if one field is invalid', async () => {
    const user = await newUser();
    const { status, body } = await users.patch(`/users/${user.id}`, { name: 'Bo', email: 'bo' });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['email']);
    expect((await users.get(`/users/${user.id}`)).body).toEqual(user);
  });
});

describe('deleting a user', () => {
  test('returns 204 without a body, and the record does not exist afterwards', async () => {
    const { id } = await newUser();
    const { status, text } = await users.delete(`/users/${id}`);
    expect([status, text]).toEqual([204, '']);
    expect((await users.delete(`/users/${id}`)).status).toBe(404);
    expect((await users.get(`/users/${id}`)).status).toBe(404);
    expect((await users.get('/users')).text).not.toContain(id);
  });
});

test.each([
  '00000000-0000-4000-8000-000000000000',
  'nonsense',
  '%00',
  '%F0%9F%98%80',
  'x'.repeat(200),
])('every operation on the unknown id %s fails with 404, and creates no record', async (id) => {
  const before = (await users.get('/users')).text;
  const responses = [
    await users.get(`/users/${id}`),
    await users.put(`/users/${id}`, ada),
    await users.patch(`/users/${id}`, ada),
    await users.delete(`/users/${id}`),
  ];
  for (const { status, body } of responses) {
    expect(status).toBe(404);
    expect(body).toEqual({ message: expect.any(String) });
  }
  expect((await users.get('/users')).text).toBe(before);
});
