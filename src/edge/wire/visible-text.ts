/** Whether a text shows anything: white space and format characters alone are invisible. */
export function hasVisibleCharacter(text: string): boolean {
  return /[^\s\p{Cf}]/u.test(text)
}
