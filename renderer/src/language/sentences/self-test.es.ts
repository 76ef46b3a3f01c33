import type { Sentence } from '../catalogue.ts'

export const SELF_TEST: readonly Sentence[] = [
  [
    'The audit trail is broken at entry {}: the database was changed by something else than Isthmus.',
    'El registro de auditoría está roto en la entrada {0}: algo ajeno a Isthmus cambió la base de datos.',
  ],
  [
    'The audit trail is older than its anchor by {} entries: something else than Isthmus put an older database in place.',
    'El registro de auditoría tiene {0} entradas menos que su ancla: algo ajeno a Isthmus puso una base de datos anterior.',
  ],
  [
    'The audit trail was tampered with, see entry {}: something else than Isthmus changed the data folder.',
    'El registro de auditoría fue manipulado, vea la entrada {0}: algo ajeno a Isthmus cambió la carpeta de datos.',
  ],
  [
    'The file audit-anchor.json of the data folder cannot be read.',
    'No se puede leer el archivo audit-anchor.json de la carpeta de datos.',
  ],
  [
    'The file audit-anchor.json of the data folder cannot be written.',
    'No se puede escribir el archivo audit-anchor.json de la carpeta de datos.',
  ],
  [
    'Correct the permissions of the file or the disk, then verify the audit trail.',
    'Corrija los permisos del archivo o el disco y verifique después el registro de auditoría.',
  ],
  [
    'There is no recorded finding to acknowledge.',
    'No hay ningún hallazgo registrado que confirmar.',
  ],
  ['the collector did not answer in time', 'el colector no respondió a tiempo'],
  ['the collector closed the connection', 'el colector cerró la conexión'],
  ['the collector does not read', 'el colector no lee lo que se le envía'],
  [
    'the collector did not confirm the end of the connection',
    'el colector no confirmó el final de la conexión',
  ],
  [
    'The certificate for {} in {}/tls cannot be used ({}). Move its files away to have new ones made.',
    'El certificado para {0} en {1}/tls no se puede usar ({2}). Retire sus archivos para que se creen otros.',
  ],
  [
    'The listener could not be opened; the log of the gateway says more.',
    'No se pudo abrir el servicio de escucha; el registro de la pasarela dice más.',
  ],
  [
    'It was opened for this run when the gateway was started: what is set here counts from the next start on.',
    'Se abrió para esta ejecución al iniciar la pasarela: lo que se defina aquí vale desde el próximo inicio.',
  ],
  ['This gateway calls itself {}.', 'Esta pasarela se llama {0}.'],
  ['{} is no AE title.', '{0} no es un AE title.'],
  [
    'Choose one of up to 16 letters and digits under Settings.',
    'Elija uno de hasta 16 letras y dígitos en Ajustes.',
  ],
  ['{} is down.', '{0} no funciona.'],
  [
    'Choose another port under Settings and start the gateway again.',
    'Elija otro puerto en Ajustes y reinicie la pasarela.',
  ],
  [
    'Choose another port for it under Settings (dimse.tlsPort) and start the gateway again.',
    'Elija otro puerto para él en Ajustes (dimse.tlsPort) y reinicie la pasarela.',
  ],
  [
    'Set its port under Settings (dimse.tlsPort), if your devices can do it.',
    'Defina su puerto en Ajustes (dimse.tlsPort), si sus dispositivos lo admiten.',
  ],
  [
    'The window answers on this PC only; other workstations come by HTTPS, where that is switched on.',
    'La ventana solo responde en este PC; otros puestos entran por HTTPS, si está activado.',
  ],
  [
    'The window answers by plain HTTP at {}: whoever is on that network can read it.',
    'La ventana responde por HTTP sin cifrar en {0}: quien esté en esa red puede leerla.',
  ],
  [
    'Set http.host to 127.0.0.1 under Settings, and open the window to workstations by HTTPS.',
    'Defina http.host como 127.0.0.1 en Ajustes y abra la ventana a los puestos por HTTPS.',
  ],
  [
    'The DICOM listener takes calls of this PC only.',
    'El servicio DICOM solo acepta llamadas de este PC.',
  ],
  [
    'Set dimse.host to 0.0.0.0 under Settings and start the gateway again.',
    'Defina dimse.host como 0.0.0.0 en Ajustes y reinicie la pasarela.',
  ],
  [
    'Devices reach this PC at {}. Have that address reserved for it (a fixed one, or a reservation in the router), so that it stays.',
    'Los dispositivos alcanzan este PC en {0}. Haga que se le reserve esa dirección (fija, o una reserva en el router) para que no cambie.',
  ],
  [
    'Devices reach this PC at {}: give them the one of their own network, and have it reserved.',
    'Los dispositivos alcanzan este PC en {0}: deles la de su propia red y haga que se reserve.',
  ],
  [
    'This PC got no address from the network, and gave itself one that no device will find.',
    'Este PC no recibió dirección de la red y se dio una que ningún dispositivo encontrará.',
  ],
  [
    'Check the network cable and the router, or set a fixed address.',
    'Compruebe el cable de red y el router, o defina una dirección fija.',
  ],
  [
    'This PC has addresses of programs on it only, such as a VPN.',
    'Este PC solo tiene direcciones de programas instalados en él, como una VPN.',
  ],
  ['Connect it to the network that the devices are on.', 'Conéctelo a la red de los dispositivos.'],
  ['This PC has no address on a network.', 'Este PC no tiene dirección en ninguna red.'],
  [
    'This gateway cannot call itself while its listener is down.',
    'Esta pasarela no puede llamarse a sí misma mientras su servicio de escucha no funciona.',
  ],
  ['Mend the listener first.', 'Arregle primero el servicio de escucha.'],
  [
    'There is no address to call this gateway at.',
    'No hay ninguna dirección en la que llamar a esta pasarela.',
  ],
  [
    'Connect this PC to the network that the devices are on.',
    'Conecte este PC a la red de los dispositivos.',
  ],
  [
    'A DICOM echo (C-ECHO) to {} port {} is answered.',
    'Un eco DICOM (C-ECHO) a {0}, puerto {1}, recibe respuesta.',
  ],
  [
    'A DICOM echo (C-ECHO) of this PC to itself failed at {}.',
    'Un eco DICOM (C-ECHO) de este PC a sí mismo falló en {0}.',
  ],
  [
    'A security program on this PC may be in the way: let the port in.',
    'Puede que un programa de seguridad de este PC lo impida: permita el puerto.',
  ],
  [
    'A call from another machine has come through: the firewall of this PC lets devices in.',
    'Ha llegado una llamada de otra máquina: el cortafuegos de este PC deja pasar a los dispositivos.',
  ],
  [
    'No call from another machine has come yet, so it is not known whether the firewall of this PC lets devices in.',
    'Aún no ha llegado ninguna llamada de otra máquina, así que no se sabe si el cortafuegos de este PC deja pasar a los dispositivos.',
  ],
  [
    'If a device’s echo does not arrive, an administrator of this PC runs what stands here.',
    'Si el eco de un dispositivo no llega, un administrador de este PC ejecuta lo que aquí se indica.',
  ],
  ['DICOM by TLS', 'DICOM por TLS'],
]
