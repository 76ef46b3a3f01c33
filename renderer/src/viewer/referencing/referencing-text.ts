import { dayText, timeText } from '../../format/dates.ts'
import { nameText } from '../../format/patient-name.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import type { LoadedReference } from './referencing-store.ts'

/** Its label, or what kind of object it is. */
export function labelOf({ instance, object }: LoadedReference): string {
  const kind = instance.notImage ? translateMessage(instance.notImage).replace(/\.$/, '') : ''
  return object?.label || object?.description || kind || t('ui.viewer.referencing.object')
}

export const creatorOf = ({ object }: LoadedReference): string =>
  object ? nameText(object.creator) : ''

/** What it describes, who made it, and when. */
export function originOf({ object }: LoadedReference): string {
  if (!object) return ''
  const { label, description, creator, date, time } = object
  return [
    label && description !== label ? description : '',
    creator && nameText(creator),
    [date && dayText(date), date && time ? timeText(time) : ''].filter(Boolean).join(' '),
  ]
    .filter(Boolean)
    .join(' · ')
}
