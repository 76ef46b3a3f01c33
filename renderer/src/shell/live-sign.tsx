import { Tag } from '../components/tone.tsx'
import { t } from '../i18n/t.ts'
import { useLive } from '../live.ts'

/** Whether changes arrive by themselves. */
export function LiveSign() {
  const { isOpen } = useLive()
  return isOpen ? (
    <Tag tone="good" meaning={t('ui.shell.liveMeaning')}>
      {t('ui.shell.live')}
    </Tag>
  ) : (
    <Tag tone="warning" meaning={t('ui.shell.pollingMeaning')}>
      {t('ui.shell.polling')}
    </Tag>
  )
}
