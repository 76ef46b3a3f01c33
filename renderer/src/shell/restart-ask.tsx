import { Confirm } from '../components/confirm.tsx'
import { t } from '../i18n/t.ts'
import { native } from '../native.ts'

/** Asks before the gateway is restarted from the desktop app. */
export function RestartAsk({ onClose }: { onClose: () => void }) {
  return (
    <Confirm
      isOpen
      title={t('ui.shell.restartTitle')}
      action={t('ui.shell.restart')}
      isBusy={false}
      error={null}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        void native?.restartGateway()
      }}
    >
      {t('ui.shell.restartAsk')}
    </Confirm>
  )
}
