import { ActionIcon, Tooltip } from '@mantine/core'
import { IconBell, IconBellOff } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../../i18n/t.ts'
import { chime, isSoundOn, setSound } from './stat-sound.ts'

/** Whether STAT studies make a sound on this PC. */
export function SoundSwitch() {
  const [isOn, setIsOn] = useState(isSoundOn)
  const name = isOn ? t('ui.study-list.stat.soundOn') : t('ui.study-list.stat.soundOff')
  const BellIcon = isOn ? IconBell : IconBellOff
  return (
    <Tooltip label={name}>
      <ActionIcon
        size="lg"
        aria-label={name}
        aria-pressed={isOn}
        onClick={() => {
          setSound(!isOn)
          setIsOn(!isOn)
          if (!isOn) chime()
        }}
      >
        <BellIcon size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  )
}
