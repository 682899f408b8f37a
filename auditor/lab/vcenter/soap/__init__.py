"""The lab's vCenter: SOAP and the property collector."""
