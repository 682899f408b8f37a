"""The lab's vCenter: SOAP, VI/JSON, esxcli, PBM and the Automation API over TLS; what a client writes is stored until the lab stops."""
