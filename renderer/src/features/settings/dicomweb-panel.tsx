import { Code, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { Notice } from '../../ui/tone.tsx'
import { DICOMWEB_PROGRAMS, type DicomwebProgram, programSettings } from './dicomweb-programs.ts'

/** Where DICOMweb is, and what is entered in the programs that use it. */
export function DicomwebPanel() {
  const lan = useReply(dashboardSecurity.lanAccess, {}).data
  const [program, setProgram] = useState<DicomwebProgram>('ohif')
  if (!lan) return null
  const pages = lan.urls.length > 0 ? lan.urls : [`${window.location.origin}/`]
  const urls = pages.map((page) => `${page}dicom-web`)
  // Web servers compare the name, but often not the address, with the certificate.
  const url = urls.find((each) => /[a-z]/i.test(new URL(each).hostname)) ?? urls[0] ?? ''
  const settings = programSettings(program, url)
  return (
    <Stack gap="sm" mt="sm">
      <div>
        <Text fw={560}>{t('ui.settings.dicomweb.address')}</Text>
        {urls.map((each) => (
          <Group key={each} gap={6}>
            <span className="mono">{each}</span>
            <Copy value={each} what={each} />
          </Group>
        ))}
      </div>
      {lan.urls.length === 0 && (
        <Notice tone="info">
          {t('ui.settings.dicomweb.onlyHere')}{' '}
          <Link to="/settings/access">{t('ui.settings.dicomweb.openAccess')}</Link>
        </Notice>
      )}
      <Text size="sm">
        {t('ui.settings.dicomweb.key')} <Link to="/keys">{t('ui.settings.dicomweb.openKeys')}</Link>
      </Text>
      <div>
        <Text fw={560} mb={6} id="dicomweb-programs">
          {t('ui.settings.dicomweb.programs')}
        </Text>
        <SegmentedControl
          aria-labelledby="dicomweb-programs"
          value={program}
          onChange={(value) => setProgram(value as DicomwebProgram)}
          data={DICOMWEB_PROGRAMS.map((value) => ({
            value,
            label: t(`ui.settings.dicomweb.names.${value}`),
          }))}
        />
        <Text size="sm" c="dimmed" mt={6} mb={6}>
          {t(`ui.settings.dicomweb.where.${program}`)}
        </Text>
        <Group wrap="nowrap" gap={6} align="flex-start">
          <Code block style={{ flex: 1 }}>
            {settings}
          </Code>
          <Copy value={settings} what={t('ui.settings.dicomweb.theSettings')} />
        </Group>
      </div>
    </Stack>
  )
}
