import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Pedir la lista de trabajo como un dispositivo',
  about:
    'Muestra qué recibiría ahora un dispositivo, y por qué. La pregunta recorre la pasarela por el mismo camino que la de un dispositivo, hasta el mismo socio; solo falta la red entre el dispositivo y la pasarela.',
  noDevices: 'No hay ningún dispositivo en cuyo nombre preguntar',
  noDevicesText: 'Añada primero un dispositivo, o apruebe uno que haya llamado.',
  toDevices: 'Ir a dispositivos',
  keys: 'Lo que pide la consola',
  device: 'Preguntar como dispositivo',
  switchedOff: (device) => `${device}, desactivado`,
  patientName: 'Nombre del paciente',
  patientNameAbout: 'Apellido^Nombre; * equivale a cualquier letra',
  patientId: 'Identificador del paciente',
  accessionNumber: 'N.º de acceso',
  modality: 'Modalidad',
  stationAeTitle: 'AE title de la estación',
  startDate: 'Desde el día',
  endDate: 'Hasta el día',
  anyValue: 'cualquiera',
  anyDay: 'cualquier día',
  ask: 'Preguntar',
  again: 'Preguntar de nuevo',
  days: { today: 'Hoy', tomorrow: 'Mañana', none: 'Sin días' },
  noneAbout: 'Sin días, la pasarela pregunta por los de sus ajustes.',
  waiting:
    'Se pregunta al socio como lo haría el dispositivo. Tarda lo mismo que esperaría el dispositivo.',
  before: 'Elija un dispositivo y pregunte',
  beforeText:
    'La respuesta aparece aquí como la mostraría la consola, con el motivo de cada exploración que no está en ella.',
}
