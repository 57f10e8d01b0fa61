import { createInterface } from 'node:readline/promises'
import { ExitProblem, exitCodes } from '../exit.ts'
import { writeOut } from '../terminal.ts'
import { strong } from './screen.ts'

/** One of several answers: what is chosen, and how it is shown. */
export interface Choice {
  value: string
  text: string
}

/** Questions to the person at the terminal. */
export interface Questions {
  /** A text; Enter gives `usual`. `check` returns what is wrong with it, and it is asked again. */
  ask(question: string, usual: string, check?: (text: string) => string | null): Promise<string>
  /** One of a numbered list; with `other`, what is typed may also be anything it accepts. */
  choose(title: string, choices: Choice[], other?: Other): Promise<string>
  isYes(question: string): Promise<boolean>
  close(): void
}

/** Reads an answer that is no number of a list; null: it is not accepted, and is asked again. */
type Other = (text: string) => { value: string } | { problem: string }

/** Whether there is a person who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/**
 * Opens the terminal for questions: numbered lists and plain lines, which work everywhere. Ctrl-C
 * and Ctrl-D end the command.
 */
export function openQuestions(signal: AbortSignal): Questions {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new AbortController()
  // While it reads a line, Ctrl-C is a key like others.
  terminal.on('SIGINT', () => void process.emit('SIGINT'))
  terminal.on('close', () => closed.abort())
  const stopped = AbortSignal.any([signal, closed.signal])

  async function read(question: string): Promise<string> {
    try {
      return (await terminal.question(question, { signal: stopped })).trim()
    } catch {
      writeOut('\n')
      throw new ExitProblem(exitCodes.interrupted, 'Stopped: nothing was paid.')
    }
  }

  async function ask(
    question: string,
    usual: string,
    check: (text: string) => string | null = () => null,
  ): Promise<string> {
    const hint = usual === '' ? '' : ` [${usual}]`
    for (;;) {
      const text = (await read(`${strong(question)}${hint}: `)) || usual
      const problem = check(text)
      if (problem === null) return text
      writeOut(`  ${problem}\n`)
    }
  }

  return {
    ask,
    choose: async (title, choices, other) => {
      const hint = other === undefined ? 'Choice' : 'Choice, or another number'
      const width = String(choices.length).length
      writeOut(`\n${strong(title)}\n`)
      for (const [index, { text }] of choices.entries())
        writeOut(`  ${String(index + 1).padStart(width)}  ${text}\n`)
      for (;;) {
        const text = (await read(`${hint} [1]: `)) || '1'
        const chosen = choices[Number(text) - 1] ?? choices.find(({ value }) => value === text)
        if (chosen !== undefined) return chosen.value
        const typed = other?.(text) ?? { problem: `Type a number from 1 to ${choices.length}.` }
        if ('value' in typed) return typed.value
        writeOut(`  ${typed.problem}\n`)
      }
    },
    isYes: async (question) => /^(y|yes|o|oui)$/i.test(await read(`${question} [y/N]: `)),
    close: () => terminal.close(),
  }
}
