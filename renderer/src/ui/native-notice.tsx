import type { NativeModule } from '#shared/contract/destinations.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import css from './native-notice.module.css'
import { Notice } from './tone.tsx'

/**
 * Says that the native module is missing, what does not work without it, and what to do. Nothing
 * where it is there.
 */
export function NativeNotice({ native }: { native: NativeModule | undefined }) {
  if (!native || native.isAvailable) return null
  return (
    <Notice tone="warning" title={t('ui.destinations.nativeTitle')}>
      {t('ui.destinations.nativeText')}
      <div className={css.remedy}>{t('ui.destinations.nativeRemedy')}</div>
      {native.detail && <div className="mono">{translateMessage(native.detail)}</div>}
    </Notice>
  )
}
