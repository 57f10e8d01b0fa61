import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nameStatement } from './database-statistics.ts'

describe('a statement is named by the tables that it writes, or else by its text', () => {
  const names: [text: string, name: string][] = [
    [
      'with a as (insert into attempts (id) select 1) insert into transactions (id) select 1',
      'insert attempts, insert transactions',
    ],
    ['update deliveries d set due_at = $1 from due', 'update deliveries'],
    [
      'select id from transactions order by id for update skip locked',
      'select id from transactions order by id',
    ],
    ['select 1 for update', 'select 1 for update'],
    ['insert into p (a) select 1 on conflict (a) do update set last = 1', 'insert p'],
  ]
  for (const [text, name] of names) it(name, () => assert.equal(nameStatement(text), name))
})
