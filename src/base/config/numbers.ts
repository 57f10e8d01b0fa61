type Refuse = (sentence: string) => void

interface WholeNumber {
  value: string | undefined
  otherwise: number
  range: [least: number, most: number]
  /** What it is called, and what else the setting takes. */
  what?: string
  also?: string
}

/** Reads a whole number within a range. */
export function readWhole(name: string, number: WholeNumber, refuse: Refuse): number {
  const { value, otherwise, what = 'a number', also = '' } = number
  if (value === undefined) return otherwise
  const [least, most] = number.range
  const read = /^\d{1,13}$/.test(value) ? Number(value) : Number.NaN
  if (read >= least && read <= most) return read
  refuse(`${name} must be ${what} from ${least} to ${most}${also}, not "${value}".`)
  return otherwise
}

// A fifth of the greatest payment: one person alone moves less than that in a day.
const usualApprovalAbove = 200_000
const approvalAboveMost = 1_000_000_000_000

/** Reads the amount above which two people decide; null: never. */
export function readApprovalAbove(value: string | undefined, refuse: Refuse): number | null {
  if (value === 'off') return null
  const range: [number, number] = [0, approvalAboveMost]
  const number = { value, otherwise: usualApprovalAbove, range, also: ', or off' }
  return readWhole('APPROVAL_ABOVE', number, refuse)
}
