import assert from 'node:assert/strict'
import { it } from 'node:test'
import { scenarios } from '../../../lab/scenarios.ts'
import { demoBills, demoMeters, demoPhones } from './demo-numbers.ts'

const numbers = [...demoPhones, ...demoBills, ...demoMeters].map(({ number }) => number)

it('the numbers that are shown are those of the lab', () => {
  assert.deepEqual(numbers.toSorted(), Object.keys(scenarios).toSorted())
})
