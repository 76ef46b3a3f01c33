import { codesWithin, knownText, t } from '../i18n/t.ts'

const GROUPS = ['access', 'people', 'devices', 'images', 'studies', 'partner', 'gateway'] as const
const codeOf = (group: (typeof GROUPS)[number], action: string) =>
  `ui.format.acts.${group}.acts.${action}`

/** Actions of the audit log in the groups of a menu: its name, then each action and its text. */
export const ACTION_GROUPS: readonly {
  readonly name: string
  readonly acts: readonly (readonly [action: string, text: string])[]
}[] = GROUPS.map((group) => {
  const start = codeOf(group, '')
  return {
    name: t(`ui.format.acts.${group}.name`),
    acts: codesWithin(start).map((code) => [code.slice(start.length), t(code)] as const),
  }
})

/** An action of the audit log in words; undefined for one that this version does not know. */
export function actionText(action: string): string | undefined {
  for (const group of GROUPS) {
    const text = knownText(codeOf(group, action))
    if (text !== undefined) return text
  }
  return undefined
}
