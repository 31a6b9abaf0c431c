# Any image with Python 3.11 or newer as `python`, and glibc.
ARG BASE=python:3.13-slim
FROM $BASE AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/accordion
COPY requirements.txt /src/
RUN /opt/accordion/bin/pip install --require-hashes --only-binary :all: -r /src/requirements.txt
COPY pyproject.toml README.md LICENSE /src/
COPY clients /src/clients
COPY service /src/service
RUN /opt/accordion/bin/pip install --no-deps --no-build-isolation /src


FROM $BASE

# Any user of the group root can write too, since some clusters choose the user.
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin accordion \
    && install --directory --owner accordion --group root --mode 2770 /data /keys \
    && install --directory --owner accordion --group root --mode 2775 /var/cache/numba
COPY --from=build /opt/accordion /opt/accordion

ENV PATH=/opt/accordion/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/var/cache/numba \
    ACCORDION_HOST=0.0.0.0 \
    ACCORDION_PORT=8000 \
    ACCORDION_DATA_DIR=/data
USER accordion
WORKDIR /data
# The solver is compiled into the image, so that a container starts fast.
RUN python -c "from service.solver import warm; warm()" && chmod --recursive g=u /var/cache/numba

VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"ACCORDION_PORT\"]}/readyz', timeout=2)"]
# On SIGTERM the service stops its workers, then the embedded store.
STOPSIGNAL SIGTERM
CMD ["accordion", "serve"]
