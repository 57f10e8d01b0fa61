/** How deep lists and objects may be nested in a JSON body. */
export const levelsMax = 64

/**
 * Whether a JSON text is nested deeper than that, so that functions which call themselves for each
 * level, as `JSON.stringify` does, would exhaust the stack. Bodies with few brackets, which are all
 * usual ones, are only searched for them.
 */
export function isTooDeep(text: string): boolean {
  return hasManyBrackets(text) && exceedsLevels(text)
}

function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > levelsMax) return true
    }
  return false
}

function exceedsLevels(text: string): boolean {
  let levels = 0
  // Strings are skipped: their brackets do not count.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') levels += 1
    else if (token === ']' || token === '}') levels -= 1
    if (levels > levelsMax) return true
  }
  return false
}
