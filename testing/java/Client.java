package ydl.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * Hadoop's own client, kept warm: reads one JSON object per line, {"do": "put", "local": ..., "remote": ...}, and answers each with one.
 *
 * <p>An answer is {"ok": ...} or {"error": CLASS, "message": ...}. It ends with its standard input.
 */
public final class Client {
    /** One operation: its arguments in, what goes under "ok" out. */
    interface Operation {
        JsonNode run(JsonNode arguments) throws Exception;
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private Client() {}

    public static void main(String[] args) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        System.setOut(System.err); // answers have standard output to themselves
        FileSystem fs = FileSystem.get(new Configuration());
        Map<String, Operation> operations = new TreeMap<>();
        new Files(fs, JSON).addTo(operations);
        new Admin(fs, JSON).addTo(operations);
        new Timing(fs, JSON).addTo(operations);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.println(JSON.writeValueAsString(answer(operations, JSON.readTree(line))));
        }
        System.exit(0); // without closing files that a test has left open
    }

    private static ObjectNode answer(Map<String, Operation> operations, JsonNode request) {
        ObjectNode answer = JSON.createObjectNode();
        try {
            Operation operation = operations.get(request.path("do").asText());
            if (operation == null) {
                throw new IllegalArgumentException("'" + request.path("do").asText() + "' is none of " + operations.keySet());
            }
            answer.set("ok", operation.run(request));
        } catch (Throwable failure) {
            answer.put("error", failure.getClass().getName());
            answer.put("message", String.valueOf(failure.getMessage()));
        }
        return answer;
    }
}
