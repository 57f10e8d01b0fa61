import { readWhole } from './numbers.ts'
import type { ReadSetting, SettingName } from './settings.ts'

/** After how many days what is forgotten; null: never. */
export interface RetentionSettings {
  /** What providers sent, as evidence of transactions. */
  evidenceDays: number | null
  /** After it a pseudonym stands for the number of a payer. */
  numberDays: number | null
}

const daysMax = 3650

/** Reads how long things are kept; `text` gives the value of a setting. */
export function readRetention(
  text: ReadSetting,
  refuse: (sentence: string) => void,
): RetentionSettings {
  const days = (name: SettingName, least: number, otherwise: number | null) => {
    const value = text(name)
    if (value === 'off' || (value === undefined && otherwise === null)) return null
    const range: [number, number] = [least, daysMax]
    return readWhole(name, { value, otherwise: otherwise ?? 0, range, also: ', or off' }, refuse)
  }
  return {
    // A payment may be disputed for a year.
    evidenceDays: days('EVIDENCE_DAYS', 30, 400),
    // A payment whose number is gone cannot be refunded.
    numberDays: days('PSEUDONYMISE_AFTER_DAYS', 90, null),
  }
}
