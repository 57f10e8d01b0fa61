import { styleText } from 'node:util'
import { monotonicMs } from '#base/kit/clock.ts'
import { printable } from '../terminal.ts'

/** What a person sees while a command works; nothing of it is there with --json. */
export interface Screen {
  /** A line that stays. */
  line(text?: string): void
  /** What is waited for: one line with the seconds on a terminal, which the next line replaces. */
  waitFor(text: string): void
  /** Ends the wait that is shown. */
  end(): void
}

const silent: Screen = { line: () => {}, waitFor: () => {}, end: () => {} }
// Back to the first column, and erase to the end of the line.
const eraseLine = '\r\u001b[K'

/** Opens the screen of a command. Where the output is no terminal, lines are all there is. */
export function openScreen(isSilent: boolean): Screen {
  if (isSilent) return silent
  const { stdout } = process
  // A terminal without colours, such as TERM=dumb, understands no erasing either.
  const canErase = stdout.isTTY && stdout.hasColors()
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    stdout.write(eraseLine)
  }
  return {
    line: (text = '') => {
      end()
      stdout.write(printable(`${text}\n`))
    },
    waitFor: (text) => {
      end()
      if (!canErase) return
      const beganMs = monotonicMs()
      const draw = () => {
        const seconds = Math.floor((monotonicMs() - beganMs) / 1000)
        stdout.write(`${eraseLine}${faint(`${text} (${seconds} s)`)}`)
      }
      draw()
      timer = setInterval(draw, 1000).unref()
    },
    end,
  }
}

// These colour a text where the output is a terminal with colours and NO_COLOR is not set.
export const strong = (text: string) => styleText('bold', text)
export const faint = (text: string) => styleText('dim', text)
const good = (text: string) => styleText('green', text)
const bad = (text: string) => styleText('red', text)
const open = (text: string) => styleText('yellow', text)

/** A status of a payment, in its colour. */
export function statusText(status: string): string {
  if (status === 'SUCCESS') return good(status)
  return ['PENDING', 'PROCESSING'].includes(status) ? open(status) : bad(status)
}

/** The status of an HTTP answer, in its colour. */
export function httpText(status: number): string {
  if (status < 300) return good(String(status))
  return (status < 500 ? open : bad)(String(status))
}

/** Something that went wrong, in its colour. */
export function badText(text: string): string {
  return bad(text)
}

/** The time of day, as clocks on this machine show it. */
export function timeOfDay(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
