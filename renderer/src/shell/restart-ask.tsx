import { Confirm } from '../components/confirm.tsx'
import { native } from '../native.ts'
import { words } from './words.ts'

/** Asks before the gateway is restarted from the desktop app. */
export function RestartAsk({ onClose }: { onClose: () => void }) {
  return (
    <Confirm
      isOpen
      title={words.restartTitle}
      action={words.restart}
      isBusy={false}
      error={null}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        void native?.restartGateway()
      }}
    >
      {words.restartAsk}
    </Confirm>
  )
}
