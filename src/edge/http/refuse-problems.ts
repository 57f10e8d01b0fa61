import type { FastifyRequest } from 'fastify'
import { type Reason, Refusal } from '#base/kit/refusal.ts'
import { describeViolations } from './violations.ts'

/**
 * Refuses a request that breaks its schema or further rules, with all violations at once. For
 * routes with `attachValidation`. `found` are the violations of rules; one about a field replaces
 * that of the schema. The schema's range of a `ruled` field is ignored when the value is a whole
 * number, because a rule has checked it. The schema's violations of `ignored` fields are dropped.
 */
export function refuseProblems(
  request: FastifyRequest,
  found: Reason[],
  ruled: string[] = [],
  ignored: string[] = [],
): void {
  const violations = describeViolations(request.validationError?.validation ?? [])
  const bySchema = violations.filter(
    ({ field = '' }) =>
      !ignored.includes(field) && (!ruled.includes(field) || !hasWholeNumber(request.body, field)),
  )
  const all = new Map([...bySchema, ...found].map((one) => [one.field, one]))
  if (all.size > 0) throw new Refusal('validation_failed', ...all.values())
}

function hasWholeNumber(body: unknown, field: string): boolean {
  return (
    typeof body === 'object' && body !== null && Number.isInteger(body[field as keyof typeof body])
  )
}
