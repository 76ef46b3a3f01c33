import { useEventStream } from '../../api/event-stream.ts'
import { t } from '../../i18n/t.ts'
import { Tag } from '../../ui/tone.tsx'

/** Whether changes arrive by themselves. */
export function LiveUpdatesIndicator() {
  const { isOpen } = useEventStream()
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
