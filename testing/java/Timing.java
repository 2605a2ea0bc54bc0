package ydl.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What bench/hdfs.py measures, timed within this JVM; each answers with the seconds it took. */
final class Timing {
    private static final int BUFFER = 1024 * 1024;

    private final FileSystem fs;
    private final ObjectMapper json;

    Timing(FileSystem fs, ObjectMapper json) {
        this.fs = fs;
        this.json = json;
    }

    void addTo(Map<String, Client.Operation> operations) {
        operations.put("time-write", this::write);
        operations.put("time-read", this::read);
        operations.put("time-small-files", this::smallFiles);
        operations.put("time-stat", this::stat);
    }

    private JsonNode write(JsonNode request) throws Exception {
        byte[] buffer = new byte[BUFFER];
        short replication = (short) request.get("replication").asInt();
        Path path = new Path(request.get("remote").asText());
        return seconds(() -> {
            try (OutputStream out = fs.create(path, true, BUFFER, replication, fs.getDefaultBlockSize(path))) {
                for (long left = request.get("bytes").asLong(); left > 0; left -= buffer.length) {
                    out.write(buffer, 0, (int) Math.min(left, buffer.length));
                }
            }
            return null;
        });
    }

    private JsonNode read(JsonNode request) throws Exception {
        byte[] buffer = new byte[BUFFER];
        return seconds(() -> {
            try (InputStream in = fs.open(new Path(request.get("remote").asText()))) {
                while (in.read(buffer) >= 0) {}
            }
            return null;
        });
    }

    /** Creates "count" files of "bytes" bytes below a folder, "threads" at a time. */
    private JsonNode smallFiles(JsonNode request) throws Exception {
        byte[] content = new byte[request.get("bytes").asInt()];
        String folder = request.get("remote").asText();
        return seconds(() -> inParallel(request, number -> {
            try (OutputStream out = fs.create(new Path(folder, "file-" + number))) {
                out.write(content);
            }
        }));
    }

    /** Asks "count" times for the status of a path, "threads" at a time. */
    private JsonNode stat(JsonNode request) throws Exception {
        Path path = new Path(request.get("remote").asText());
        return seconds(() -> inParallel(request, number -> fs.getFileStatus(path)));
    }

    private interface Step {
        void run(int number) throws Exception;
    }

    private static Void inParallel(JsonNode request, Step step) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(request.get("threads").asInt());
        try {
            List<Future<?>> steps = new ArrayList<>();
            for (int number = 0; number < request.get("count").asInt(); ++number) {
                int mine = number;
                steps.add(threads.submit((Callable<Void>) () -> {
                    step.run(mine);
                    return null;
                }));
            }
            for (Future<?> each : steps) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        return null;
    }

    private JsonNode seconds(Callable<Void> work) throws Exception {
        long start = System.nanoTime();
        work.call();
        return json.valueToTree((System.nanoTime() - start) / 1e9);
    }
}
