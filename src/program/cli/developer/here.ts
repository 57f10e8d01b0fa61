import type { Command } from 'commander'
import { addListenCommand } from './listen.ts'
import { ownUrl } from './own-url.ts'
import { addTriggerCommand } from './trigger.ts'

// The commands that are also served to merchants (alone.ts), for the gateway of this installation.

export const addListenHere = (program: Command) => addListenCommand(program, ownUrl)
export const addTriggerHere = (program: Command) => addTriggerCommand(program, ownUrl)
